// SPDX-License-Identifier: MIT
// board - apply moves to the state of a game; the last states can be restored
//
//   node board.js deep|shared SECONDS
'use strict';

function newState() {
  const cells = [];
  for (let i = 0; i < 400; i++)
    cells.push({ x: i % 20, y: Math.floor(i / 20), owner: null, tags: ['plain', 'lit'] });
  return { turn: 0, cells };
}

function stateCopy(state) {
  return JSON.parse(JSON.stringify(state));
}

function stateShare(state, at) {
  const cells = state.cells.slice();
  cells[at] = Object.assign({}, cells[at]);
  return { turn: state.turn, cells };
}

function moveApply(state, n, deep) {
  const at = n * 7 % 400;
  const next = deep ? stateCopy(state) : stateShare(state, at);
  next.turn = n;
  next.cells[at].owner = n % 4;
  return next;
}

const deep = process.argv[2] === 'deep';
const end = Date.now() + Number(process.argv[3]) * 1000;
let state = newState();
const history = [];
let n = 0;
while (Date.now() < end) {
  state = moveApply(state, n++, deep);
  history.push(state);
  if (history.length > 50)
    history.shift();
}
console.log('moves', n, history.length);
