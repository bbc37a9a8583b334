import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topicNameProblem } from './topic-name.ts';

const good = ['a', 'A.b_c-9', '...', '_', '-', 'x'.repeat(249)];
const bad: [name: string, problem: RegExp][] = [
  ['', /may not be empty/],
  ['.', /may not be named "\."/],
  ['..', /may not be named "\.\."/],
  ['x'.repeat(250), /has 250 characters; 249 are allowed/],
  ['a b', /other than ASCII letters/],
  ['a/b', /other than ASCII letters/],
  ['é', /other than ASCII letters/],
  ['a\n', /other than ASCII letters/],
];

for (const name of good) {
  test(`${name} is a name`, () => assert.equal(topicNameProblem(name), undefined));
}

for (const [name, problem] of bad) {
  test(`${JSON.stringify(name)} is no name`, () => assert.match(topicNameProblem(name)!, problem));
}
