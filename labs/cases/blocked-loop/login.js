// SPDX-License-Identifier: MIT
// login - a service that greets, and checks passwords
//
//   node login.js direct|later
'use strict';
const crypto = require('crypto');
const http = require('http');

const direct = process.argv[2] === 'direct';

function passwordCheck(name, done) {
  if (direct)
    done(crypto.pbkdf2Sync(name, 'salt', 40000, 32, 'sha256'));
  else
    crypto.pbkdf2(name, 'salt', 40000, 32, 'sha256', (error, key) => done(key));
}

const server = http.createServer((request, response) => {
  const number = Number(request.url.split('/')[2]);
  if (number % 10 !== 0) {
    response.end('hello\n');
    return;
  }
  passwordCheck('user-' + number, (key) => response.end(key.toString('hex')));
});
server.listen(8085, '127.0.0.1');
