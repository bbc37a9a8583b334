import { serveSchemaTasks } from '../src/schema-work/serve-schema-tasks.ts';
import { fieldListFormats } from './field-list-format.ts';

serveSchemaTasks(fieldListFormats);
