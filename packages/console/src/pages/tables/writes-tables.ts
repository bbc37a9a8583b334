import { runnablePipelineTypes } from '@weir/api/pipeline-types';

/** Whether agents of this release write the tables of data lakes. */
export const writesTables = runnablePipelineTypes.includes('data_lake');
