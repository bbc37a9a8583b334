import { componentOf } from '../component/component-spec.ts';
import { Message } from '../component/message.ts';
import { wholeOf } from './whole.ts';

export const toTheEnd = componentOf('scanner', {
  name: 'to_the_end',
  about: 'Makes one message of all.',
  fields: {},
  open: () => ({
    async *scan(source) {
      yield [Message.of(await wholeOf(source))];
    },
  }),
});
