import { componentOf } from '../component/component-spec.ts';
import type { Batch } from '../component/message.ts';
import { LimitedOutput } from '../engine/limited-output.ts';
import { codec, encoded } from './codec.ts';

export const stdout = componentOf('output', {
  name: 'stdout',
  about: 'Writes to the standard output of the process.',
  availability: 'local',
  fields: { codec: codec.or('lines') },
  open({ codec: writer }, { standardStreams }) {
    if (standardStreams === undefined) throw new Error('the process has no standard output');
    const write = (batch: Batch) =>
      standardStreams.write(Buffer.concat(batch.map(({ content }) => encoded(content, writer))));
    return new LimitedOutput({ write, close: async () => {} }, 1);
  },
});
