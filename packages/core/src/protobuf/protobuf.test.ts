import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { InvalidProtobuf, ProtobufReader, protobufFields } from './protobuf-reader.ts';
import { ProtobufWriter } from './protobuf-writer.ts';

const depthMax = 3;

test('numbers are read as they were written', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      fc.bigInt({ min: 0n, max: 63n }),
      (all, shift) => {
        const value = all >> shift;
        const read = () => new ProtobufReader(new ProtobufWriter().varint64(value).finish());
        assert.equal(read().varint64(), value);
        assert.equal(read().varint32(), Number(BigInt.asUintN(32, value)));
        const reader = read();
        reader.skipVarint();
        assert.equal(reader.at, reader.end);
        if (value <= Number.MAX_SAFE_INTEGER)
          assert.deepEqual(new ProtobufWriter().varint(Number(value)).finish(), reader.bytes);
      },
    ),
  );
});

test('a message within a message has its length, however long it is', () => {
  for (const chars of [0, 1, 120, 127, 128, 129, 300, 16_383, 16_384, 70_000]) {
    const text = 'x'.repeat(chars);
    const writer = new ProtobufWriter();
    writer.messageField(1, () =>
      writer.messageField(20, () => writer.textField(3, text)).integerField(4, -1),
    );
    const inner = new ProtobufWriter().textField(3, text).finish();
    const outer = new ProtobufWriter().bytesField(20, inner).integerField(4, -1).finish();
    assert.deepEqual(writer.finish(), new ProtobufWriter().bytesField(1, outer).finish(), String(chars));
  }
});

test('bytes that are not protobuf are refused with what is wrong', () => {
  const fieldsOf = (bytes: Buffer) => [...protobufFields(bytes)].length;
  const skipFields = (bytes: Buffer) => {
    const reader = new ProtobufReader(bytes);
    while (reader.at < reader.end) reader.skipField(reader.tag(), 0, depthMax);
  };
  const rows: readonly (readonly [(bytes: Buffer) => unknown, string, RegExp | undefined])[] = [
    [fieldsOf, '08', /^truncated varint$/],
    [fieldsOf, '0880', /^truncated varint$/],
    [fieldsOf, `08${'ff'.repeat(10)}01`, /^a varint is longer than 10 bytes$/],
    [fieldsOf, '00', /^invalid field tag$/],
    [fieldsOf, 'ffffffffff01', /^invalid field tag$/],
    [fieldsOf, '120261', /^truncated field: its length exceeds the remaining bytes$/],
    [fieldsOf, '12ffffffffff01', /^truncated field: its length exceeds the remaining bytes$/],
    [fieldsOf, '09000000', /^truncated field$/],
    [fieldsOf, '0d0000', /^truncated field$/],
    [fieldsOf, '0b0c', /^field 1 has unsupported wire type 3$/],
    [fieldsOf, '0e', /^field 1 has unsupported wire type 6$/],
    [skipFields, '0b08010c', undefined],
    [skipFields, '0b0801', /^truncated group: its end tag is missing$/],
    [skipFields, '0b14', /^an end-group tag does not match the group$/],
    [skipFields, '0c', /^an end-group tag does not match the group$/],
    [skipFields, '0b0b0b0c0c0c', undefined],
    [skipFields, '0b0b0b0b0c0c0c0c', /^messages are nested deeper than 3$/],
    [skipFields, '0f', /^field 1 has unsupported wire type 7$/],
  ];
  for (const [read, hex, message] of rows) {
    if (message === undefined) read(Buffer.from(hex, 'hex'));
    else assert.throws(() => read(Buffer.from(hex, 'hex')), { name: 'InvalidProtobuf', message }, hex);
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      for (const read of [fieldsOf, skipFields]) {
        try {
          read(Buffer.from(bytes));
        } catch (error) {
          assert.ok(error instanceof InvalidProtobuf, String(error));
        }
      }
    }),
  );
});
