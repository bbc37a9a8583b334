import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strategyText, validationOf, validationText } from './schema-validation.ts';

test('validation is read as agents read it', () => {
  assert.deepEqual(validationOf('value', {}), {
    isOn: false,
    isWarningOnly: false,
    strategy: 'TopicNameStrategy',
  });
  const configs = {
    'service.value.schema.validation': ' TRUE',
    'service.schema.validation.warning.only': 'true',
    'service.value.subject.name.strategy': 'RecordNameStrategy',
    'service.key.subject.name.strategy': 'Another',
  };
  assert.deepEqual(validationOf('value', configs), {
    isOn: true,
    isWarningOnly: true,
    strategy: 'RecordNameStrategy',
  });
  assert.equal(validationOf('key', configs).isOn, false);
  assert.equal(validationOf('key', configs).strategy, 'TopicNameStrategy');
});

test('validation in words', () => {
  const of = (isOn: boolean, isWarningOnly: boolean) =>
    validationText('value', { isOn, isWarningOnly, strategy: 'TopicNameStrategy' });
  assert.match(of(false, true), /not validated/);
  assert.match(of(true, false), /agents reject/);
  assert.match(of(true, true), /count and accept/);
  assert.match(strategyText(validationOf('key', {})), /named after the topic/);
});
