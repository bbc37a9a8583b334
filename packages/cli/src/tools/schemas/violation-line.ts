import type { SchemaViolation } from '@weir/registry';

/** `TYPE_MISMATCH at /fields/0/type: …` */
export function violationLine({ type, path, message }: SchemaViolation): string {
  const where = path === '' ? '' : ` at ${path}`;
  return type === '' ? message : `${type}${where}: ${message}`;
}
