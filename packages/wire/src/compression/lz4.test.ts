import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecodeError } from '../decode-error.ts';
import { wireLimits } from '../limits.ts';
import { compressLz4, lz4Steps } from './lz4.ts';
import { decompressionBy } from './off-thread.ts';
import { OutputLimitExceeded } from './output-limit.ts';
import { xxhash32 } from './xxhash32.ts';

const { decompress: decompressLz4 } = decompressionBy(lz4Steps);
const phrase = 'first value, first value, first value';
const longText = 'first value, '.repeat(5100);
const ample = 1 << 20;

function hex(...parts: string[]): Buffer {
  return Buffer.from(parts.join(''), 'hex');
}

/** Written by the lz4 command line tool 1.9.4; the options are in the names. */
const frames = {
  plain: hex('04224d1860408217000000df66697273742076616c75652c200d00005076616c756500000000'),
  blockChecksumAndContentSize: hex(
    '04224d187c402500000000000000bc17000000df66697273742076616c75652c200d00005076616c7565ec3ec597000000004bfb4ef8',
  ),
  contentChecksum: hex(
    '04224d186440a717000000df66697273742076616c75652c200d00005076616c7565000000004bfb4ef8',
  ),
  empty: hex('04224d186440a700000000055dcc02'),
  linkedBlocks: hex(
    '04224d1844405e17010000df66697273742076616c75652c200d00',
    'ff'.repeat(256),
    'db502c206669720c0000000ffdffffffe6506c75652c200000000019294228',
  ),
  independentBlocks: hex(
    '04224d187c40fc02010000000000a117010000df66697273742076616c75652c200d00',
    'ff'.repeat(256),
    'db502c206669721de5ad0a19000000df73742076616c75652c206669720d00ffffd9506c75652c208ebe72a30000000019294228',
  ),
} as const;

const skippable = hex('5a2a4d1803000000aabbcc');

test('reads frames of other writers', () => {
  const table: [name: string, bytes: Buffer, text: string][] = [
    ['plain', frames.plain, phrase],
    ['block checksum and content size', frames.blockChecksumAndContentSize, phrase],
    ['content checksum', frames.contentChecksum, phrase],
    ['empty frame', frames.empty, ''],
    ['blocks that copy from the block before', frames.linkedBlocks, longText],
    ['independent blocks', frames.independentBlocks, longText],
    [
      'frames one after the other',
      Buffer.concat([frames.plain, frames.empty, frames.contentChecksum]),
      phrase + phrase,
    ],
    ['skippable frames around one', Buffer.concat([skippable, frames.plain, skippable]), phrase],
    ['a stored block', hex('04224d18604082', '03000080', '616263', '00000000'), 'abc'],
    ['an empty block', hex('04224d18604082', '01000000', '00', '00000000'), ''],
  ];
  for (const [name, bytes, text] of table) assert.equal(decompressLz4(bytes, ample).toString(), text, name);
});

test('writes one frame of independent blocks without content size, as the Java reader requires', () => {
  for (const length of [0, 1, 100_000, 5_000_000]) {
    const bytes = Buffer.alloc(length, 'abcdefg');
    const frame = compressLz4(bytes);
    assert.equal(frame.readUInt32LE(0), 0x184d2204);
    assert.equal(frame[4], 0b0110_0000, 'version 1, independent blocks, nothing else');
    assert.ok(decompressLz4(frame, 8 << 20).equals(bytes));
  }
});

test('rejects invalid frames', () => {
  const { plain, blockChecksumAndContentSize: sized, linkedBlocks } = frames;
  const changed = (frame: Buffer, at: number, byte: number) => {
    const copy = Buffer.from(frame);
    copy[at] = byte;
    return copy;
  };
  const table: [name: string, bytes: Buffer, problem: RegExp][] = [
    ['nothing', Buffer.alloc(0), /magic at byte 0/],
    ['no magic', Buffer.from('hello world'), /magic/],
    ['legacy frame', hex('02214c18', '00000000'), /magic/],
    ['junk after a frame', Buffer.concat([plain, Buffer.from('junk')]), /magic/],
    ['end mark missing', plain.subarray(0, plain.length - 4), /block length/],
    ['cut off in a block', plain.subarray(0, 20), /block/],
    ['another version', changed(plain, 4, 0xa0), /version/],
    ['reserved bit', changed(plain, 4, 0x62), /reserved/],
    ['a dictionary', changed(plain, 4, 0x61), /dictionary/],
    ['block size not assigned', changed(plain, 5, 0x30), /block size/],
    ['header checksum', changed(plain, 6, 0x83), /header checksum/],
    ['block checksum', changed(sized, 30, 0x00), /block checksum/],
    ['content checksum', changed(sized, sized.length - 1, 0x00), /content checksum/],
    ['content size below the content', frameClaiming('0100000000000000'), /content size/],
    ['content size above the content', frameClaiming('0400000000000000'), /content size/],
    ['block larger than the frame allows', hex('04224d18604082', '01000180'), /block length/],
    ['a copy from before the start', hex('04224d18604082', '05000000', '0f05000000', '00000000'), /block/],
    [
      'a linked block with nothing before it',
      Buffer.concat([linkedBlocks.subarray(0, 7), linkedBlocks.subarray(290)]),
      /block/,
    ],
  ];
  for (const [name, bytes, problem] of table) {
    assert.throws(
      () => decompressLz4(bytes, ample),
      (error) => error instanceof DecodeError && problem.test(error.message),
      name,
    );
  }
});

test('stops at the output limit, whatever content size the frame claims', () => {
  const bomb = compressLz4(Buffer.alloc(64 << 20));
  assert.ok(bomb.length < 300_000);
  const table: [name: string, bytes: Buffer, outputBytesMax: number][] = [
    ['bomb', bomb, 1 << 20],
    ['bomb of many frames', Buffer.concat(Array(10).fill(frames.linkedBlocks)), longText.length * 9],
    ['one byte too many', frames.plain, phrase.length - 1],
    ['content size above the limit', frames.independentBlocks, longText.length - 1],
    ['stored block above the limit', hex('04224d18604082', '03000080', '616263', '00000000'), 2],
  ];
  for (const [name, bytes, outputBytesMax] of table) {
    assert.throws(() => decompressLz4(bytes, outputBytesMax), OutputLimitExceeded, name);
  }
  assert.equal(decompressLz4(frames.plain, phrase.length).toString(), phrase, 'the limit itself is allowed');
});

test('a claimed content size is not allocated', () => {
  assert.equal(decompressLz4(frameClaiming('0300000000000000'), ample).toString(), 'abc');
  assert.throws(
    () => decompressLz4(frameClaiming('0000000000010000'), ample),
    OutputLimitExceeded,
    '2^40 bytes',
  );
  assert.throws(
    () => decompressLz4(frameClaiming('ffffffffffffffff'), ample),
    OutputLimitExceeded,
    '2^64 - 1 bytes',
  );
});

test('the number of blocks is limited, because each costs a native call', () => {
  const emptyBlocks = Buffer.alloc((wireLimits.compressedBlocksMax + 1) * 5, hex('0100000000'));
  const frame = Buffer.concat([hex('04224d18604082'), emptyBlocks, hex('00000000')]);
  assert.throws(() => decompressLz4(frame, ample), /block at byte \d+: is one more than/);
});

/** A frame of three bytes with a false content size. */
function frameClaiming(contentSize: string): Buffer {
  const header = hex('04224d186840', contentSize);
  const checksum = (xxhash32(header.subarray(4)) >>> 8) & 0xff;
  return Buffer.concat([header, Buffer.from([checksum]), hex('03000080', '616263', '00000000')]);
}
