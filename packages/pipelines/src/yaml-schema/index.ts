/** Schemas of configurations that are checked as a whole, with problems that name their line. */
export { broker, kafkaCredentials } from './kafka-source.ts';
export {
  boolean,
  checkedValue,
  count,
  filledList,
  list,
  mapping,
  oneOf,
  port,
  problemsOf,
  text,
} from './schema.ts';
