import { join } from 'node:path';
import { buildJava, shortLivedJava } from '../../apache/build.ts';
import { AnsweringProcess } from '../answering-process.ts';

/** What Spark needs of newer versions of Java. */
const opened = ['java.lang', 'java.lang.invoke', 'java.nio', 'java.util', 'sun.nio.ch'].map(
  (name) => `--add-opens=java.base/${name}=ALL-UNNAMED`,
);

const settings = {
  'spark.driver.bindAddress': '127.0.0.1',
  'spark.driver.host': '127.0.0.1',
  'spark.sql.datetime.java8API.enabled': 'true',
  'spark.sql.session.timeZone': 'UTC',
  'spark.sql.shuffle.partitions': '1',
  'spark.ui.enabled': 'false',
};

interface SparkTable {
  /** Such as `lake.shop.orders`. */
  readonly table: string;
  readonly columns?: readonly string[];
  readonly isVectorized?: boolean;
}

/** Spark with Iceberg, of Maven. `catalogs` are the settings of each, by its name. */
export class SparkReader extends AnsweringProcess {
  constructor(catalogs: Readonly<Record<string, Readonly<Record<string, string>>>>) {
    const classPath = buildJava(join(import.meta.dirname, '../spark'));
    const given: Record<string, string> = { ...settings };
    for (const [name, options] of Object.entries(catalogs)) {
      given[`spark.sql.catalog.${name}`] = 'org.apache.iceberg.spark.SparkCatalog';
      for (const [key, value] of Object.entries(options)) given[`spark.sql.catalog.${name}.${key}`] = value;
    }
    super('java', [
      ...shortLivedJava,
      ...opened,
      ...['-Xmx1g', '-cp', classPath, 'weir.SparkReader'],
      ...Object.entries(given).map(([key, value]) => `${key}=${value}`),
    ]);
  }

  /** Rows as `shownRows` shows them. */
  readRows(table: SparkTable) {
    return this.call('read_rows', table) as Promise<readonly Record<string, unknown>[]>;
  }

  idsOf(table: SparkTable, filters: readonly string[]) {
    return this.call('ids_of', { ...table, filters }) as Promise<
      readonly { readonly scanned: string[]; readonly expected: string[] }[]
    >;
  }

  run(sql: string) {
    return this.call('run', { sql }) as Promise<readonly Record<string, unknown>[]>;
  }
}
