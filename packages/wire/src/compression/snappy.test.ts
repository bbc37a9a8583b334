import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecodeError } from '../decode-error.ts';
import { wireLimits } from '../limits.ts';
import { decompressionBy } from './off-thread.ts';
import { OutputLimitExceeded } from './output-limit.ts';
import { compressSnappy, snappySteps } from './snappy.ts';

const { decompress: decompressSnappy } = decompressionBy(snappySteps);
const ample = 1 << 20;
const text = 'first value, first value, first value';
const xerialHeader = Buffer.from('82534e41505059000000000100000001', 'hex');
/** One raw block with the content `abc`. */
const abcBlock = Buffer.from('0308616263', 'hex');

function xerial(...blocks: Buffer[]): Buffer {
  const framed = blocks.flatMap((block) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(block.length);
    return [length, block];
  });
  return Buffer.concat([xerialHeader, ...framed]);
}

test('detects both framings', () => {
  const table: [name: string, bytes: Buffer, text: string][] = [
    ['raw', abcBlock, 'abc'],
    ['raw and empty', Buffer.from('00', 'hex'), ''],
    ['xerial', xerial(abcBlock, abcBlock), 'abcabc'],
    ['xerial without blocks', xerial(), ''],
    ['xerial streams one after the other', Buffer.concat([xerial(abcBlock), xerial(abcBlock)]), 'abcabc'],
  ];
  for (const [name, bytes, expected] of table)
    assert.equal(decompressSnappy(bytes, ample).toString(), expected, name);
});

test('writes xerial blocks of 32 KiB, or one raw block', () => {
  const bytes = Buffer.alloc(70_000, text);
  const framed = compressSnappy(bytes, 'xerial');
  assert.ok(framed.subarray(0, 16).equals(xerialHeader));
  const firstBlockBytes = framed.readInt32BE(16);
  assert.equal(decompressSnappy(framed.subarray(20, 20 + firstBlockBytes), ample).length, 32 * 1024);
  assert.ok(decompressSnappy(framed, ample).equals(bytes));

  const raw = compressSnappy(bytes, 'raw');
  assert.ok(decompressSnappy(raw, ample).equals(bytes));
});

test('rejects invalid input', () => {
  const table: [name: string, bytes: Buffer, problem: RegExp][] = [
    ['nothing', Buffer.alloc(0), /uncompressed length/],
    ['a length without content', Buffer.from('05', 'hex'), /cannot come from 0 bytes/],
    ['a length beyond what so few bytes can make', Buffer.from('ffff3f08616263', 'hex'), /cannot come from/],
    ['content shorter than its length', Buffer.from('0408616263', 'hex'), /block/],
    ['a copy from before the start', Buffer.from('040101', 'hex'), /block/],
    ['a header that is cut off', xerialHeader.subarray(0, 12), /snappy/],
    [
      'a block length that is cut off',
      Buffer.concat([xerial(abcBlock), Buffer.from('0000', 'hex')]),
      /cut off/,
    ],
    ['a block that is cut off', xerial(abcBlock).subarray(0, 22), /not within/],
    ['a negative block length', Buffer.concat([xerialHeader, Buffer.from('ffffffff', 'hex')]), /not within/],
  ];
  for (const [name, bytes, problem] of table) {
    assert.throws(
      () => decompressSnappy(bytes, ample),
      (error) => error instanceof DecodeError && problem.test(error.message),
      name,
    );
  }
});

test('stops at the output limit before it allocates', () => {
  const bytes = Buffer.alloc(70_000, text);
  const table: [name: string, bytes: Buffer, outputBytesMax: number][] = [
    ['raw', compressSnappy(bytes, 'raw'), 69_999],
    ['xerial', compressSnappy(bytes, 'xerial'), 69_999],
    ['a claim of 4 GiB', Buffer.from('ffffffff0f08616263', 'hex'), ample],
  ];
  for (const [name, compressed, outputBytesMax] of table) {
    assert.throws(() => decompressSnappy(compressed, outputBytesMax), OutputLimitExceeded, name);
  }
  assert.equal(decompressSnappy(compressSnappy(bytes, 'xerial'), 70_000).length, 70_000);
});

test('the number of blocks is limited, because each costs a native call', () => {
  const emptyBlocks = Buffer.alloc(
    (wireLimits.compressedBlocksMax + 1) * 5,
    Buffer.from('0000000100', 'hex'),
  );
  assert.throws(
    () => decompressSnappy(Buffer.concat([xerialHeader, emptyBlocks]), ample),
    /is one more than/,
  );
});
