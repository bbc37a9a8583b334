import { defineCheck } from '../check.ts';

export const tableCatalogDenies = defineCheck({
  name: 'table_catalog_denies',
  type: 'pipelines',
  source: 'agent',
  severity: 'high',
  title: 'The catalog of a table denies access',
  observes:
    'Tables whose REST catalog, its token server or AWS Glue denied the credentials of the agents when they last read or committed.',
  explanation:
    'No rows are added until the catalog takes the credentials; then the table continues where it stopped. Records are lost for it if the topic deletes them before.',
  fix: 'Check the secret or the variable that the configuration names under catalog, and the rights that it has: to read, create and change the table and its namespace. For Glue, allow the role of the agents glue:GetTable, glue:GetTables, glue:CreateTable, glue:UpdateTable, glue:DeleteTable and glue:CreateDatabase.',
  kinds: ['data_lake'],
  run({ tables }) {
    if (tables === undefined) return { missing: 'tables' };
    return tables.flatMap(({ name, report }) => {
      if (report?.isFailing !== true || report.isDenied !== true) return [];
      return [
        {
          entity: { kind: 'table', name } as const,
          message: `Table ${name}: its catalog denies access: ${report.lastError}`,
          weight: 1,
        },
      ];
    });
  },
});
