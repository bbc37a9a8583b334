import { Tabs } from '../../ui/page.tsx';

/** People, what they may do, and how they sign in. */
export function TeamTabs() {
  return (
    <Tabs
      tabs={[
        { label: 'Members', link: { to: '/team' } },
        { label: 'Roles', link: { to: '/team/roles' } },
        { label: 'Single sign-on', link: { to: '/team/sso' } },
      ]}
    />
  );
}
