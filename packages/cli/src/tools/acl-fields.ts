/** The seven fields of ACLs, as the tools read them from flags and print them. */

import type { AclFilter, AclResponse, KafkaAcl } from '@weir/client';
import { type Acl, clusterResourceName } from '@weir/core';
import type { CommandValues } from '../flags/catalogue.ts';
import { table } from '../results/table.ts';

type Fields = CommandValues<'cli create-acls'>;

/** The ACLs to create: one for each principal and operation. The rules have checked that all fields are present. */
export function newAcls(values: Fields): readonly KafkaAcl[] {
  const resourceType = values['resource-type']! as KafkaAcl['resourceType'];
  const shared = {
    resourceType,
    resourceName: values['resource-name'] ?? clusterResourceName,
    patternType: (values['pattern-type'] ?? 'LITERAL') as Acl['patternType'],
    host: values.host ?? '*',
    permission: values.permission ?? 'ALLOW',
  };
  return values.principal!.flatMap((principal) =>
    values.operation!.map((operation) => ({ ...shared, principal, operation })),
  );
}

/** The filters: one for each principal and operation, where several are given. */
export function aclFilters(values: Fields): readonly AclFilter[] {
  const shared = {
    resourceType: unlessAny(values['resource-type']),
    resourceName: values['resource-name'],
    patternType: unlessAny(values['pattern-type']),
    host: values.host,
    permission: values.permission,
  };
  return orAny(values.principal).flatMap((principal) =>
    orAny(values.operation).map((operation) => ({ ...shared, principal, operation })),
  );
}

function unlessAny<Word extends string>(word: Word | undefined): Exclude<Word, 'ANY'> | undefined {
  return word === 'ANY' ? undefined : (word as Exclude<Word, 'ANY'> | undefined);
}

function orAny<Item>(items: readonly Item[] | undefined): readonly (Item | undefined)[] {
  return items === undefined || items.length === 0 ? [undefined] : items;
}

/** ACLs without duplicates, grouped by resource. Two filters may have matched the same one. */
export function sortedAcls(acls: readonly AclResponse[]): readonly AclResponse[] {
  const byText = new Map(acls.map((acl) => [columns.map((column) => acl[column]).join('\0'), acl]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, acl]) => acl);
}

const columns = [
  'resourceType',
  'resourceName',
  'patternType',
  'principal',
  'host',
  'operation',
  'permission',
] as const satisfies readonly (keyof AclResponse)[];

const titles = ['RESOURCE', 'NAME', 'PATTERN', 'PRINCIPAL', 'HOST', 'OPERATION', 'PERMISSION'];

export function aclsTable(acls: readonly AclResponse[]): string {
  return table(
    titles,
    acls.map((acl) => columns.map((column) => acl[column])),
  );
}
