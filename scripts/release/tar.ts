import { gunzipSync, gzipSync } from 'node:zlib';
import { inOrder, type ReleaseFile } from './release-file.ts';

const blockBytes = 512;
/** Tar programs read and write in portions of twenty blocks. */
const recordBytes = 20 * blockBytes;

/**
 * A tar archive that depends on its files alone: ordered by name, owned by root, with one time for all. Folders have
 * entries of their own, so that they have the same rights everywhere.
 */
export function tarOf(files: readonly ReleaseFile[], timeSeconds: number): Buffer {
  const folders = new Set<string>();
  for (const { path } of files) {
    const parts = path.split('/').slice(0, -1);
    for (const [index] of parts.entries()) folders.add(`${parts.slice(0, index + 1).join('/')}/`);
  }
  for (const { path } of files) folders.delete(path);
  const all = inOrder([...files, ...[...folders].map((path) => ({ path, folderMode: 0o755, owner: 0 }))]);
  const pieces: Uint8Array[] = [];
  let length = 0;
  const add = (piece: Uint8Array) => {
    pieces.push(piece);
    length += piece.length;
  };
  for (const [index, file] of all.entries()) {
    if (file.path === all[index - 1]?.path) throw new Error(`${file.path} is twice in the archive`);
    const bytes = 'bytes' in file ? file.bytes : new Uint8Array();
    add(header(file, bytes.length, timeSeconds));
    add(bytes);
    add(new Uint8Array(-bytes.length & (blockBytes - 1)));
  }
  add(new Uint8Array(2 * blockBytes));
  add(new Uint8Array((recordBytes - (length % recordBytes)) % recordBytes));
  return Buffer.concat(pieces);
}

/** Node's gzip writes neither a name nor a time. */
export function tarGzOf(files: readonly ReleaseFile[], timeSeconds: number): Buffer {
  return gzip(tarOf(files, timeSeconds));
}

/** The byte that names the system is that of Unix wherever it is compressed. */
export function gzip(bytes: Uint8Array): Buffer {
  const compressed = gzipSync(bytes, { level: 6 });
  compressed[9] = 3;
  return compressed;
}

function header(file: ReleaseFile, size: number, timeSeconds: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  const text = (value: string, offset: number, lengthMax: number) => {
    if (Buffer.byteLength(value) > lengthMax) throw new Error(`${value} is too long for a tar archive`);
    block.write(value, offset);
  };
  const octal = (value: number, offset: number, length: number) =>
    block.write(value.toString(8).padStart(length - 1, '0'), offset);
  const [prefix, name] = splitName(file.path);
  text(name, 0, 100);
  const owner = 'owner' in file ? file.owner : 0;
  octal(modeOf(file), 100, 8);
  octal(owner, 108, 8);
  octal(owner, 116, 8);
  octal(size, 124, 12);
  octal(timeSeconds, 136, 12);
  block.fill(' ', 148, 156);
  block.write('linkTo' in file ? '2' : 'folderMode' in file ? '5' : '0', 156);
  text('linkTo' in file ? file.linkTo : '', 157, 100);
  block.write('ustar\u000000', 257, 'latin1');
  if (owner === 0) {
    text('root', 265, 32);
    text('root', 297, 32);
  }
  octal(0, 329, 8);
  octal(0, 337, 8);
  text(prefix, 345, 155);
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function modeOf(file: ReleaseFile): number {
  if ('linkTo' in file) return 0o777;
  if ('folderMode' in file) return file.folderMode;
  return file.isProgram ? 0o755 : 0o644;
}

/** A name over 100 bytes is cut at a slash. */
function splitName(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  for (let cut = path.indexOf('/'); cut !== -1; cut = path.indexOf('/', cut + 1)) {
    const name = path.slice(cut + 1);
    if (name !== '' && Buffer.byteLength(name) <= 100) return [path.slice(0, cut), name];
  }
  throw new Error(`${path} is too long for a tar archive`);
}

/** The files and links of an archive that npm or dpkg wrote, which is compressed or not. Folders are left out. */
export function filesOfTar(archive: Uint8Array): ReleaseFile[] {
  const bytes = archive[0] === 0x1f && archive[1] === 0x8b ? gunzipSync(archive) : Buffer.from(archive);
  const files: ReleaseFile[] = [];
  let longName: string | undefined;
  for (let at = 0; at + blockBytes <= bytes.length && bytes[at] !== 0; ) {
    const field = (offset: number, length: number) => {
      const part = bytes.subarray(at + offset, at + offset + length);
      const end = part.indexOf(0);
      return part.toString('utf8', 0, end === -1 ? length : end);
    };
    const size = Number.parseInt(field(124, 12).trim() || '0', 8);
    const content = bytes.subarray(at + blockBytes, at + blockBytes + size);
    const kind = field(156, 1);
    const prefix = field(257, 6) === 'ustar' ? field(345, 155) : '';
    const path = (longName ?? (prefix === '' ? field(0, 100) : `${prefix}/${field(0, 100)}`)).replace(
      /^\.\//,
      '',
    );
    longName = undefined;
    if (kind === 'L') longName = content.toString('utf8').replace(/\0.*$/, '');
    else if (kind === 'x') longName = /^\d+ path=(.*)$/m.exec(content.toString('utf8'))?.[1];
    else if (kind === '2') files.push({ path, linkTo: field(157, 100) });
    else if (kind === '0' || kind === '')
      files.push({ path, bytes: content, isProgram: (Number.parseInt(field(100, 8), 8) & 0o100) !== 0 });
    else if (kind === '1') throw new Error(`${path} is a hard link, which a release has not`);
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
  }
  return files;
}
