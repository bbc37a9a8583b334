import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** buf is a large binary, so it is installed in a separate folder, only when needed. */
const folder = join(import.meta.dirname, '../../../../node_modules/.cache/weir-protobuf-tools');
const listed = join(import.meta.dirname, 'tools/package.json');
const bufBin = join(folder, 'node_modules/.bin/buf');
const runtime = join(folder, 'node_modules/@bufbuild/protobuf/dist/esm');

const isThere = () => existsSync(bufBin) && existsSync(runtime);

/** Why buf and the runtime for protobuf are not available here, as the `skip` of a test. */
export function missingProtobufTools(): string | false {
  if (isThere()) return false;
  mkdirSync(folder, { recursive: true });
  cpSync(listed, join(folder, 'package.json'));
  const options = [
    'install',
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ];
  const { error, stderr } = spawnSync('npm', options, { cwd: folder, encoding: 'utf8', timeout: 300_000 });
  if (isThere()) return false;
  return `failed to install buf: ${error?.message ?? (stderr ?? '').trim().split('\n').at(-1)}`;
}

interface BufReport {
  readonly path: string;
  readonly type: string;
  readonly message: string;
}

/** Runs buf on folders of files. Returns what it reports, by file. */
export function buf(args: readonly string[], cwd: string): readonly BufReport[] {
  const { stdout, stderr, error } = spawnSync(bufBin, [...args, '--error-format', 'json'], {
    cwd,
    encoding: 'utf8',
    env: {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: folder,
      BUF_CACHE_DIR: join(folder, 'cache'),
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  return `${stdout}\n${stderr}`
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      if (!line.startsWith('{')) throw new Error(`buf failed: ${line}`);
      return JSON.parse(line) as BufReport;
    });
}

/** Calls with a folder of `.proto` files, which is removed afterwards. */
export function withFiles<Result>(
  files: ReadonlyMap<string, string>,
  use: (folder: string) => Result,
  config = '',
): Result {
  const created = mkdtempSync(join(tmpdir(), 'weir-protobuf-'));
  try {
    writeFileSync(join(created, 'buf.yaml'), `version: v2\n${config}`);
    for (const [path, text] of files) {
      mkdirSync(dirname(join(created, path)), { recursive: true });
      writeFileSync(join(created, path), text);
    }
    return use(created);
  } finally {
    rmSync(created, { recursive: true });
  }
}

/** The parts of `@bufbuild/protobuf` that the tests use. */
export interface ProtobufRuntime {
  readonly FileDescriptorSetSchema: unknown;
  readonly FileDescriptorProtoSchema: unknown;
  fromBinary(schema: unknown, bytes: Uint8Array): unknown;
  toBinary(schema: unknown, message: unknown): Uint8Array;
  toJson(schema: unknown, message: unknown, options?: { registry: unknown }): unknown;
  fromJson(schema: unknown, json: unknown, options?: { registry: unknown }): unknown;
  isFieldSet(message: unknown, field: unknown): boolean;
  createFileRegistry(set: unknown): FileRegistry;
}

export interface FileRegistry {
  getMessage(fullName: string): unknown;
}

/** Loads the runtime, which is no dependency of the project. */
export async function protobufRuntime(): Promise<ProtobufRuntime> {
  const [core, known] = await Promise.all(
    ['index.js', 'wkt/index.js'].map((path) => import(pathToFileURL(join(runtime, path)).href)),
  );
  return { ...core, ...known } as ProtobufRuntime;
}
