/** Offers the issues of all trackers of the caller, and those of a session, on the bus. */
import type { ServiceSchema } from "moleculer";
import { call, serviceOf } from "#shared/bus/service.ts";
import { issues } from "#shared/contracts/tracker/issues.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import type { AllIssues } from "./issue-queries/all-issues.ts";
import type { IssuesOfSession } from "./issue-queries/issues-of-session.ts";

export function issuesService(all: AllIssues, ofSession: IssuesOfSession): ServiceSchema {
	return serviceOf(issues, {
		search: ({ q }, principal) => all.search(principal, q),

		get: ({ issue_id }, principal) => all.get(principal, issue_id),

		set_status: ({ issue_id, status }, principal) => all.setStatus(principal, issue_id, status),

		async of_session({ session_id }, principal, ctx) {
			// The sessions service decides whether the caller may see it.
			const session = await call(ctx, sessions.actions.get, { session_id });
			return ofSession.read(principal, session);
		},
	});
}
