import type { ProtobufValue } from '@weir/core';
import { formatBytes } from '@weir/core';
import { gatewayLimits } from '../limits.ts';
import type { ParseSteps } from './parse-steps.ts';

/** Attributes of OpenTelemetry: names, and values as JSON. */
export type Attributes = ReadonlyMap<string, string>;

const { logIntakeAttributesMax, logIntakeDepthMax, logIntakeRecordBytesMax, logIntakeValuesMax } =
  gatewayLimits;

/** A line that cannot be taken, while the others can. */
export class LineRefused extends Error {
  override readonly name = 'LineRefused';
}

/** Fields of protobuf that one value may take. */
const fieldsPerValue = 4;
/** What a value costs in addition to its fields. */
const valueSteps = 4;

/** Counts what a line, a resource or a scope has, which is read without a pause. */
export class LineBounds {
  readonly #steps: ParseSteps;
  #values = 0;
  #fields = 0;

  constructor(steps: ParseSteps) {
    this.#steps = steps;
  }

  /** Called for each field of protobuf, also those that are not used. */
  field(field: ProtobufValue): void {
    this.#steps.spend(1, 'bytes' in field ? field.bytes.length : 0);
    if (++this.#fields > fieldsPerValue * logIntakeValuesMax)
      throw new LineRefused(`it has more than ${logIntakeValuesMax} values.`);
  }

  /** Called for each value. */
  enter(depth: number): void {
    this.#steps.spend(valueSteps);
    if (depth > logIntakeDepthMax)
      throw new LineRefused(`its values have more than ${logIntakeDepthMax} levels.`);
    if (++this.#values > logIntakeValuesMax)
      throw new LineRefused(`it has more than ${logIntakeValuesMax} values.`);
  }
}

/** Adds an attribute. The last one of a name counts. */
export function addAttribute(attributes: Map<string, string>, name: string, value: string): void {
  attributes.set(name, value);
  if (attributes.size > logIntakeAttributesMax)
    throw new LineRefused(`it has more than ${logIntakeAttributesMax} attributes.`);
}

export function checkSize(bytes: number): void {
  if (bytes > logIntakeRecordBytesMax)
    throw new LineRefused(`it has more than ${formatBytes(logIntakeRecordBytesMax)}.`);
}

/** JSON has no names for numbers that are none. */
export function doubleJson(value: number): string {
  return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
}
