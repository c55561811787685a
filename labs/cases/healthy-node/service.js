// SPDX-License-Identifier: MIT
// service - products as JSON over HTTP
'use strict';
const http = require('http');

const products = new Map();
for (let i = 0; i < 1000; i++)
  products.set(i, { id: i, name: 'product ' + i, price: i / 4, tags: ['new', 'small'] });

const server = http.createServer((request, response) => {
  const product = products.get(Number(request.url.split('/')[2]));
  const body = JSON.stringify(product ?? { error: 'no such product' });
  response.writeHead(product ? 200 : 404, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
});
server.listen(8083, '127.0.0.1');
