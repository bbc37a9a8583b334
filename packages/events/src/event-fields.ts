import { eventEnvelope } from './envelope-schema.ts';
import { type EventField, type EventTypeName, eventTypeNames, eventTypes } from './event-types.ts';

/** The fields that all events have. */
export const envelopeFields: readonly EventField[] = Object.entries(eventEnvelope.shape).map(
  ([name, schema]) => ({
    name,
    type: name === 'data' ? 'object' : 'string',
    description: schema.description!,
  }),
);

/** Every field that events of these types have, each once: what an editor completes. */
export function fieldsOf(types: readonly EventTypeName[] = eventTypeNames): readonly EventField[] {
  const fields = [...envelopeFields, ...types.flatMap((type) => eventTypes[type].fields)];
  return [...new Map(fields.toReversed().map((one) => [one.name, one])).values()].reverse();
}

/** The names of these fields, in the form that `parseFilter` takes. */
export function filterFieldsOf(types?: readonly EventTypeName[]): readonly string[] {
  return fieldsOf(types).flatMap(({ name, isOpen }) => (isOpen ? [name, `${name}.*`] : [name]));
}
