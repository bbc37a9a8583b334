import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes, parseMapping } from '@weir/bloblang';
import { Message } from './message.ts';

const written = (message: Message) => {
  const target = Buffer.alloc(message.byteLength);
  message.writeTo(target, 0);
  return target.toString();
};

test('the content is written as it is, and is what the bytes are', () => {
  const messages: readonly [message: () => Message, text: string][] = [
    [() => Message.of('text'), 'text'],
    [() => Message.of(''), ''],
    [() => new Message({}), ''],
    [() => new Message({ value: { a: 'ä€🙂', b: [1.5] } }), '{"a":"ä€🙂","b":[1.5]}'],
    [() => new Message({ value: { a: 1 } }), '{"a":1}'],
    [() => new Message({ value: { a: 1 } }).withError({ message: 'no' }).withEntry('k', 'v'), '{"a":1}'],
    [() => new Message({ value: 'ä' }), 'ä'],
    [() => new Message({ value: new Bytes(Buffer.from('bytes')) }), 'bytes'],
  ];
  for (const [make, text] of messages) {
    assert.equal(written(make()), text);
    assert.equal(make().content.toString(), text);
    const message = make();
    assert.equal(message.content.length, message.byteLength);
    assert.equal(written(message), text);
    assert.equal(written(message.withOrigin({ index: 1 })), text);
  }
});

test('a document that was forgotten is parsed again', () => {
  const read = Message.of('{"a":1}');
  assert.deepEqual(read.document(), { a: 1 });
  read.forget();
  assert.equal(read.value, undefined);
  assert.deepEqual(read.document(), { a: 1 });
});

test('a document is not forgotten before it was printed, or if it has more than JSON has', () => {
  const made = Message.of('x').withValue({ a: 1 }, undefined, true);
  made.forget();
  assert.deepEqual(made.value, { a: 1 });
  assert.equal(made.byteLength, 7);
  made.forget();
  assert.equal(made.value, undefined);
  assert.deepEqual(made.document(), { a: 1 });
  const typed = Message.of('x').withValue({ a: new Bytes(Buffer.from('b')) });
  assert.equal(typed.content.toString(), '{"a":"Yg=="}');
  typed.forget();
  assert.notEqual(typed.value, undefined);
});

test('a document to which a mapping has added fields begins with the bytes that it was', () => {
  const mapping = parseMapping('root = this\nroot.c = @k');
  const read = Message.of('{"a":1.50,"b":"ä"}', new Map([['k', '€']]));
  const mapped = (message: Message) => {
    const result = mapping.apply(message);
    if (result.kind !== 'value') throw new Error(result.kind);
    return message.withValue(result.value, undefined, result.isPlain, result.text);
  };
  const text = '{"a":1.50,"b":"ä","c":"€"}';
  for (const message of [mapped(read), mapped(mapped(read)), mapped(read).withEntry('k', 'v')]) {
    assert.equal(message.byteLength, Buffer.byteLength(text));
    assert.equal(written(message), text);
    message.forget();
    assert.equal(message.value, undefined);
    assert.deepEqual(message.document(), { a: 1.5, b: 'ä', c: '€' });
    assert.equal(message.content.toString(), text);
    assert.equal(written(message), text);
  }
  assert.equal(mapped(read).source?.toString(), text);
  assert.equal(new Message({ value: { a: 1 }, isPlain: true }).source, undefined);
  const latin1 = Message.of(Buffer.from('{"a":"é"}', 'latin1'), new Map([['k', 1]]));
  assert.equal(written(mapped(latin1)), '{"a":"\ufffd","c":1}');
});
