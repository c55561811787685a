// SPDX-License-Identifier: MIT
// upload - collect the parts of an upload
//
//   node upload.js each|end SECONDS
'use strict';

const PART = Buffer.alloc(512, 'x');
const N_PARTS = 600;

function bodyAdd(body, part) {
  return Buffer.concat([body, part]);
}

function collectEach() {
  let body = Buffer.alloc(0);
  for (let i = 0; i < N_PARTS; i++)
    body = bodyAdd(body, PART);
  return body;
}

function collectEnd() {
  const parts = [];
  for (let i = 0; i < N_PARTS; i++)
    parts.push(PART);
  return Buffer.concat(parts);
}

function checksum(body) {
  let sum = 0;
  for (let i = 0; i < body.length; i++)
    sum = (sum * 31 + body[i]) | 0;
  return sum;
}

const each = process.argv[2] === 'each';
const end = Date.now() + Number(process.argv[3]) * 1000;
let size = 0;
let n = 0;
for (; Date.now() < end; n++)
  size += checksum(each ? collectEach() : collectEnd());
console.log('uploads', n, size % 2);
