import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuiltGo, buildGoModule, goProgramPath } from '../go/programs.ts';
import { freePort, identity, type S3Server, serving } from '../s3/server.ts';

const name = 'versitygw';

/**
 * The server that `buildVersitygw` built. Tests do not build it by themselves: with the clients of other services that
 * it imports, that takes minutes.
 */
export function builtVersitygw(): BuiltGo {
  const program = goProgramPath(name);
  const missing = existsSync(program) ? false : 'versitygw is not built; npm run test:s3-servers builds it';
  return { missing, program };
}

/** Builds versitygw; go.mod has its version. */
export function buildVersitygw(): BuiltGo {
  return buildGoModule(name, 'github.com/versity/versitygw/cmd/versitygw', import.meta.dirname);
}

/** Starts versitygw with objects as files in a temporary directory. It rejects requests without a valid signature. */
export async function startVersitygw(program: string): Promise<S3Server> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'weir-versitygw-'));
  const objects = join(directory, 'objects');
  // Beside the objects, because not every file system of temporary files has extended attributes.
  const attributes = join(directory, 'attributes');
  for (const folder of [objects, attributes]) mkdirSync(folder);
  const { accessKeyId, secretAccessKey } = identity;
  const account = ['--access', accessKeyId, '--secret', secretAccessKey, '--region', 'us-east-1'];
  const backend = ['posix', '--sidecar', attributes, objects];
  const flags = ['--port', `127.0.0.1:${port}`, '--quiet', '--keep-alive', ...account];
  const server = spawn(program, [...flags, ...backend], { stdio: 'ignore', env: {} });
  return serving(port, server, 'SIGKILL', () => rmSync(directory, { recursive: true, force: true }));
}
