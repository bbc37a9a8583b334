import { createReadStream } from 'node:fs';
import { stat, unlink } from 'node:fs/promises';
import { componentOf } from '../component/component-spec.ts';
import { bool, child, list, string } from '../component/field-types.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import { ScannedInput, type ScannedSource } from '../engine/scanned-input.ts';
import { filesMatching } from './files-matching.ts';

async function sourceOf(path: string, isDeleted: boolean): Promise<ScannedSource> {
  const { mtimeMs } = await stat(path);
  const seconds = Math.floor(mtimeMs / 1000);
  return {
    bytes: createReadStream(path),
    name: path,
    metadata: new Map<string, string | number>([
      ['path', path],
      ['mod_time_unix', seconds],
      ['mod_time', new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')],
    ]),
    finish: async (error) => {
      if (error === undefined && isDeleted) await unlink(path);
    },
  };
}

export const file = componentOf('input', {
  name: 'file',
  about: 'Reads files, one after the other.',
  availability: 'local',
  fields: {
    paths: list('Paths of files; `*`, `**`, `?`, `[a-z]` stand for several.', string('A path.')),
    scanner: child('scanner', 'How files are cut into messages.').or({ lines: {} }),
    delete_on_finish: bool('Whether a file is deleted when all its messages were written.')
      .or(false)
      .advanced(),
    auto_replay_nacks: bool('Whether messages that were not written are delivered again.').or(true),
  },
  async open({ paths, scanner, delete_on_finish: isDeleted, auto_replay_nacks: replays }, context) {
    const files = await filesMatching(paths);
    const input = new ScannedInput(await context.open(scanner), async () => {
      const [path] = files;
      if (path === undefined) return undefined;
      // A file that cannot be opened is tried again.
      const source = await sourceOf(path, isDeleted);
      files.shift();
      return source;
    });
    return replays ? new ReplayedInput(input, context.clock) : input;
  },
});
