import { componentOf } from '../component/component-spec.ts';
import { cacheOf } from './cache-of.ts';

export const noop = componentOf('cache', {
  name: 'noop',
  about: 'Keeps nothing: it takes all values and has none.',
  fields: {},
  open: () => cacheOf({ get: () => undefined, has: () => false, set() {}, add: () => true, delete() {} }),
});
