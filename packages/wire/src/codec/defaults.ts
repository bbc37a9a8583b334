import type { LayoutField } from '../schema/layout.ts';

/** The default of a field as a JavaScript expression. Arrays and structures are created at each evaluation. */
export function defaultExpression(field: LayoutField): string {
  const value = field.default;
  if (value !== 'empty') return literal(value);
  switch (field.type.kind) {
    case 'array':
      return '[]';
    case 'struct': {
      const { layout } = field.type;
      const byName = new Map(
        [...layout.fields, ...layout.tagged, ...layout.absent].map((inner) => [inner.name, inner]),
      );
      return `{ ${layout.names.map((name) => `${name}: ${defaultExpression(byName.get(name)!)}`).join(', ')} }`;
    }
    default:
      return 'noBytes';
  }
}

/** A condition that is true if a variable has the field's default, which then need not be on the wire. */
export function isDefaultExpression(field: LayoutField, variable: string): string {
  const value = field.default;
  if (value !== 'empty') return `${variable} === ${literal(value)}`;
  if (field.type.kind !== 'struct') return `(${variable} !== null && ${variable}.length === 0)`;
  const { layout } = field.type;
  const conditions = [...layout.fields, ...layout.tagged, ...layout.absent].map((inner) => {
    const member = `${variable}.${inner.name}`;
    const isDefault = isDefaultExpression(inner, member);
    return inner.optional ? `(${member} === undefined || ${isDefault})` : isDefault;
  });
  return `(${[`${variable} !== null`, `${variable}.unknownTaggedFields === undefined`, ...conditions].join(' && ')})`;
}

function literal(value: null | boolean | number | bigint | string): string {
  if (typeof value === 'bigint') return `${value}n`;
  return JSON.stringify(value);
}
