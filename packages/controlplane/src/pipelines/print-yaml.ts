import { stringify } from 'yaml';
import { plainValueOf, type YamlValue } from './yaml-value.ts';

/** The value as YAML, on lines of their own however long they are. */
export function printYaml(value: YamlValue): string {
  return stringify(plainValueOf(value), { version: '1.2', lineWidth: 0 });
}
