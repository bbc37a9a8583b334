import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { OutputOf } from '@weir/api/client';
import { call } from '../../api/client.ts';
import { useClusterId } from '../../api/use-cluster.ts';

export type Subject = OutputOf<'list_subjects'>['subjects'][number];

const pageRows = 1000;
/** More subjects than a list shows at once; beyond it, the filter asks the registry. */
const pagesMax = 20;

interface Subjects {
  readonly subjects: readonly Subject[];
  readonly isCut: boolean;
}

/** All subjects of a registry, page by page. */
export function useSubjects(withDeleted: boolean) {
  const clusterId = useClusterId();
  const input = { virtual_cluster_id: clusterId, include_deleted: withDeleted, limit: pageRows };
  return useQuery({
    queryKey: ['list_subjects', 'all', input],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Subjects> => {
      const subjects: Subject[] = [];
      let cursor: string | null | undefined;
      for (let page = 0; page < pagesMax && cursor !== null; page++) {
        const answer: OutputOf<'list_subjects'> = await call(
          'list_subjects',
          { ...input, ...(cursor === undefined ? {} : { cursor }) },
          signal,
        );
        subjects.push(...answer.subjects);
        cursor = answer.next_cursor;
      }
      return { subjects, isCut: cursor !== null };
    },
  });
}
