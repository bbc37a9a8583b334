import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionShares } from './connection-shares.ts';

/** Connections are made and named by the test: `a1` is the first of address `a`. */
class Port {
  readonly shares: ConnectionShares<{ readonly name: string }>;
  readonly #connections = new Map<string, { readonly name: string }>();

  constructor(max: number, reserved: number) {
    this.shares = new ConnectionShares({ max, reserved });
  }

  /** What happens: nothing, the name of the connection that ends, or a refusal. */
  enter(name: string): string {
    const connection = { name };
    this.#connections.set(name, connection);
    const outcome = this.shares.enter(connection, name.replace(/\d+$/, ''));
    return typeof outcome === 'object' ? `ends ${outcome.name}` : (outcome ?? 'open');
  }

  request(...names: string[]): void {
    for (const name of names) this.shares.began(this.#connections.get(name)!);
  }

  answer(...names: string[]): void {
    for (const name of names) this.shares.ended(this.#connections.get(name)!);
  }

  leave(...names: string[]): void {
    for (const name of names) this.shares.leave(this.#connections.get(name)!);
  }
}

/** Opens connections of one address, with a request under way if they are busy. */
function fill(port: Port, address: string, count: number, state: 'half-sent' | 'busy'): void {
  for (let index = 1; index <= count; index++) {
    const name = `${address}${index}`;
    assert.equal(port.enter(name), 'open', name);
    if (state === 'busy') port.request(name);
  }
}

test('one address may have all connections until the port is full', () => {
  const port = new Port(5, 0);
  fill(port, 'proxy', 5, 'busy');
  assert.equal(port.enter('proxy6'), 'refused');
  port.leave('proxy1');
  assert.equal(port.enter('proxy6'), 'open');
});

test('a full port ends the oldest half-sent connection of the address with the most of them', () => {
  const port = new Port(6, 0);
  fill(port, 'few', 2, 'half-sent');
  fill(port, 'many', 4, 'half-sent');
  assert.equal(port.enter('probe1'), 'ends many1');
  port.request('probe1');
  assert.equal(port.enter('few3'), 'ends many2');
  assert.equal(port.enter('many5'), 'ends few1', 'shares are equal by now');
  assert.equal(port.shares.size, 6);
});

test('half-sent connections end before idle ones, and those with a request under way do not end', () => {
  const port = new Port(4, 0);
  fill(port, 'a', 3, 'busy');
  port.answer('a1', 'a2');
  port.enter('b1');
  assert.equal(port.enter('c1'), 'ends b1');
  port.request('c1');
  assert.equal(port.enter('d1'), 'ends a1', 'it is idle for the longest time');
  port.request('d1', 'a2');
  assert.equal(port.enter('e1'), 'refused');
  port.answer('a2');
  assert.equal(port.enter('e1'), 'ends a2');
});

test('an address does not end connections of one that has fewer', () => {
  const port = new Port(4, 0);
  fill(port, 'greedy', 3, 'busy');
  port.enter('small1');
  port.request('small1');
  port.answer('small1');
  assert.equal(port.enter('greedy4'), 'refused');
  port.answer('greedy2');
  assert.equal(port.enter('greedy4'), 'ends greedy2', 'it ends one of its own');
});

test('addresses with few connections have a reserve, each only a part of it', () => {
  const port = new Port(10, 6);
  fill(port, 'busy', 10, 'busy');
  assert.equal(port.enter('busy11'), 'refused');
  fill(port, 'probe', 4, 'busy');
  assert.equal(port.enter('probe5'), 'refused');
  fill(port, 'other', 2, 'busy');
  assert.equal(port.enter('third1'), 'refused', 'the reserve is used up');
  port.leave('other1');
  assert.equal(port.enter('third1'), 'open');
});

test('requests of one connection at a time count once', () => {
  const port = new Port(1, 0);
  port.enter('a1');
  port.request('a1', 'a1');
  port.answer('a1');
  assert.equal(port.enter('b1'), 'refused');
  port.answer('a1');
  assert.equal(port.enter('b1'), 'ends a1');
  port.answer('a1');
  port.leave('a1');
  assert.equal(port.shares.size, 1, 'what has ended is no longer counted');
});
