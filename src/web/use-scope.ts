import { useOp } from './api.ts'
import { projectGroups, scopeOf } from './project-groups.ts'

/** The scope that a project of an address stands for; `undefined` until the projects are known. */
export function useScope(key: string | undefined): { readonly project?: string; readonly under?: string } | undefined {
  const projects = useOp('projects', {}, { enabled: key !== undefined })
  if (key === undefined) return {}
  if (projects.error) return { project: key }
  return projects.data && scopeOf(projectGroups(projects.data.items), key)
}
