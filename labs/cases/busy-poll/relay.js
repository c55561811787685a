// SPDX-License-Identifier: MIT
// relay - forward messages between two connections of a server, as they come
//
//   node relay.js poll|event SECONDS
'use strict';
const net = require('net');

const polls = process.argv[2] === 'poll';
const end = Date.now() + Number(process.argv[3]) * 1000;
const queue = [];
let nRelayed = 0;

function relayNext(socket) {
  while (queue.length > 0) {
    socket.write(queue.shift());
    nRelayed++;
  }
}

function relayLoop(socket) {
  relayNext(socket);
  if (Date.now() < end)
    setImmediate(relayLoop, socket);
}

const server = net.createServer((socket) => {
  socket.on('data', (data) => {
    queue.push(data);
    if (!polls)
      relayNext(socket);
  });
  if (polls)
    relayLoop(socket);
});

server.listen(0, '127.0.0.1', () => {
  const client = net.connect(server.address().port, '127.0.0.1');
  client.on('data', () => {});
  const timer = setInterval(() => {
    client.write('tick');
    if (Date.now() >= end) {
      clearInterval(timer);
      client.destroy();
      server.close();
      console.log('relayed', nRelayed);
    }
  }, 10);
});
