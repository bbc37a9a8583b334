import { shellWord } from '../../../format/shell-word.ts';
import { quotedSqlName } from '../../../format/sql-name.ts';
import { literal, propertyValue } from '../../access/connect/quoting.ts';

/** How engines find and read a table by the Iceberg REST catalog of its cluster. */

export interface CatalogTable {
  /** The URL of the catalog. */
  readonly catalog: string;
  /** The key that the catalog takes, or a placeholder for it. */
  readonly token: string;
  readonly table: string;
}

interface Engine {
  readonly title: string;
  /** Where the snippet goes. */
  readonly about: string;
  snippet(of: CatalogTable): string;
}

/** The only namespace of the catalog. */
const namespace = 'default';

const sparkName = (name: string) => `\`${name.replaceAll('`', '``')}\``;
const sqlText = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Releases of Iceberg and of Spark that fit together. */
const sparkPackages = [
  'org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.9.2',
  'org.apache.iceberg:iceberg-aws-bundle:1.9.2',
].join(',');

export const engines = {
  pyiceberg: {
    title: 'pyiceberg',
    about: 'A program; first: pip install "pyiceberg[pyarrow,s3fs]"',
    snippet: ({ catalog, token, table }) =>
      [
        'from pyiceberg.catalog import load_catalog',
        '',
        `catalog = load_catalog("weir", type="rest", uri=${literal(catalog)}, token=${literal(token)})`,
        `table = catalog.load_table((${literal(namespace)}, ${literal(table)}))`,
        'print(table.scan(limit=10).to_arrow())',
      ].join('\n'),
  },
  duckdb: {
    title: 'DuckDB',
    about: 'Statements for duckdb, 1.4 or newer',
    snippet: ({ catalog, token, table }) =>
      [
        'INSTALL iceberg; LOAD iceberg;',
        'INSTALL httpfs; LOAD httpfs; INSTALL aws; LOAD aws;',
        'CREATE SECRET bucket (TYPE s3, PROVIDER credential_chain);',
        `CREATE SECRET weir (TYPE iceberg, TOKEN ${sqlText(token)});`,
        `ATTACH '' AS lake (TYPE iceberg, ENDPOINT ${sqlText(catalog)}, SECRET weir, ACCESS_DELEGATION_MODE 'none');`,
        `SELECT * FROM lake.${quotedSqlName(namespace)}.${quotedSqlName(table)} LIMIT 10;`,
      ].join('\n'),
  },
  spark: {
    title: 'Spark',
    about: 'A command for the shell',
    snippet: ({ catalog, token, table }) =>
      [
        `spark-sql --packages ${sparkPackages} \\`,
        '  --conf spark.sql.catalog.weir=org.apache.iceberg.spark.SparkCatalog \\',
        '  --conf spark.sql.catalog.weir.type=rest \\',
        '  --conf spark.sql.catalog.weir.io-impl=org.apache.iceberg.aws.s3.S3FileIO \\',
        `  --conf ${shellWord(`spark.sql.catalog.weir.uri=${catalog}`)} \\`,
        `  --conf ${shellWord(`spark.sql.catalog.weir.token=${token}`)} \\`,
        `  -e ${shellWord(`SELECT * FROM weir.${sparkName(namespace)}.${sparkName(table)} LIMIT 10`)}`,
      ].join('\n'),
  },
  trino: {
    title: 'Trino',
    about: 'The file etc/catalog/weir.properties, and a query',
    snippet: ({ catalog, token, table }) =>
      [
        'connector.name=iceberg',
        'iceberg.catalog.type=rest',
        `iceberg.rest-catalog.uri=${propertyValue(catalog)}`,
        'iceberg.rest-catalog.security=OAUTH2',
        `iceberg.rest-catalog.oauth2.token=${propertyValue(token)}`,
        'fs.native-s3.enabled=true',
        's3.region=REGION',
        '',
        `-- SELECT * FROM weir.${quotedSqlName(namespace)}.${quotedSqlName(table)} LIMIT 10`,
      ].join('\n'),
  },
} as const satisfies Record<string, Engine>;

export type EngineName = keyof typeof engines;
export const engineNames = Object.keys(engines) as readonly EngineName[];
