import { useNavigate, useParams } from '@tanstack/react-router';
import { Answer } from '../../ui/states.tsx';
import { say } from '../../ui/toasts.tsx';
import { SchemaEditor } from './schema-editor.tsx';
import { readableSchema } from './schema-text.ts';
import { useSubject } from './use-subject.ts';

const path = '/frame/clusters/$clusterId/subjects/$subject/edit';

/** Begins with the last version, and shows what changed when the next is registered. */
export function NewVersion() {
  const { clusterId, subject } = useParams({ from: path });
  const navigate = useNavigate();
  const { latest } = useSubject(subject);
  return (
    <Answer of={latest} what="describe the last version">
      {(last) => (
        <SchemaEditor // What was typed stays when the last version is read again.
          key={subject}
          subject={subject}
          type={last.schema_type}
          initialText={readableSchema(last.schema_type, last.schema)}
          initialReferences={last.references}
          onRegistered={({ version }) => {
            say(`Registered version ${version}`);
            void navigate({
              to: '/clusters/$clusterId/subjects/$subject/compare',
              params: { clusterId, subject },
              search: {
                to: version,
                ...(last.version === null || last.version === version ? {} : { from: last.version }),
              },
            });
          }}
        />
      )}
    </Answer>
  );
}
