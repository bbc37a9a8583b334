import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkTypes } from './check.ts';
import { diagnosticsPage } from './reference-page.ts';
import { checks, describeCheck, diagnostics } from './registry.ts';

test('every diagnostic has a unique name, descriptions, and finite damping', () => {
  assert.equal(new Set(diagnostics.map(({ name }) => name)).size, diagnostics.length);
  assert.ok(checks.length >= 18);
  for (const check of diagnostics) {
    const { name, title, observes, explanation, fix, kinds, damping } = check;
    assert.match(name, /^[a-z]+(?:_[a-z]+)*$/);
    assert.match(title, /^[A-Z].*[^.]$/, name);
    for (const text of [observes, explanation, fix]) assert.match(text, /^[A-Z].*\.$/, name);
    assert.ok(kinds.length > 0 && damping.failAfterRuns >= 1 && damping.recoverAfterRuns >= 1, name);
    assert.equal(describeCheck(name), check);
  }
  assert.equal(describeCheck('constructor'), undefined);
});

test('every type has a check, in lower case', () => {
  for (const type of checkTypes) {
    assert.match(type, /^[a-z]+$/);
    assert.ok(
      checks.some((check) => check.type === type),
      type,
    );
  }
});

test('the page describes every diagnostic', () => {
  const page = diagnosticsPage(() => []);
  for (const { name, fix } of diagnostics)
    assert.ok(page.includes(`### ${name}\n`) && page.includes(fix), name);
});
