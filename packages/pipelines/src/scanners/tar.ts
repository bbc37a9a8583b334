import { Expansion, readTar } from '../archives/index.ts';
import { componentOf } from '../component/component-spec.ts';
import { Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';
import { wholeOf } from './whole.ts';

export const tar = componentOf('scanner', {
  name: 'tar',
  about: 'Makes a message of each file of a tar archive, with the metadata `tar_name`.',
  fields: {},
  open: () => ({
    async *scan(source) {
      const expansion = new Expansion({ bytesMax: pipelineLimits.scannedMessageBytesMax });
      for (const { name, content } of readTar(await wholeOf(source), expansion))
        yield [Message.of(content, new Map([['tar_name', name]]))];
    },
  }),
});
