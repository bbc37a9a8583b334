import { RE2JS, RE2JSException } from 're2js';
import { reasonOf } from './failures.ts';
import { Field } from './field.ts';
import { string } from './field-types.ts';

/** A pattern of RE2, which is compiled when the configuration is read. */
export function pattern(about: string): Field<RE2JS> {
  const text = string(about);
  return new Field({ name: 'string' }, about, (value, reading, path) => {
    const source = text.read(value, reading, path);
    if (source === undefined) return undefined;
    try {
      return RE2JS.compile(source);
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      reading.problem(value.place, `the pattern is wrong: ${reasonOf(error)}`);
      return undefined;
    }
  });
}
