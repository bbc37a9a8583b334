import { stringify } from 'yaml';
import { plainValueOf, type YamlValue } from './yaml-value.ts';

/** Prints the value as YAML, without wrapping long lines. */
export function printYaml(value: YamlValue): string {
  return stringify(plainValueOf(value), { version: '1.2', lineWidth: 0 });
}
