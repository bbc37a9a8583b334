import { loadSchemaFormats } from '../schema-formats.ts';
import { serveSchemaTasks } from './serve-schema-tasks.ts';

serveSchemaTasks(await loadSchemaFormats());
