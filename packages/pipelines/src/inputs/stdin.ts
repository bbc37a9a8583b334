import { componentOf } from '../component/component-spec.ts';
import { bool, child } from '../component/field-types.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import { ScannedInput } from '../engine/scanned-input.ts';

export const stdin = componentOf('input', {
  name: 'stdin',
  about: 'Reads from the standard input of the process.',
  availability: 'local',
  fields: {
    scanner: child('scanner', 'How the bytes are cut into messages.').or({ lines: {} }),
    auto_replay_nacks: bool('Whether messages that were not written are delivered again.').or(true),
  },
  async open({ scanner, auto_replay_nacks: replays }, context) {
    const { standardStreams, clock } = context;
    if (standardStreams === undefined) throw new Error('the process has no standard input');
    let isTaken = false;
    const input = new ScannedInput(await context.open(scanner), async () => {
      if (isTaken) return undefined;
      isTaken = true;
      return { bytes: standardStreams.input, name: '', metadata: new Map() };
    });
    return replays ? new ReplayedInput(input, clock) : input;
  },
});
