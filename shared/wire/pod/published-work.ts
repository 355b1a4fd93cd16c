/** The command by which a pod publishes the work of a session. */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { text } from "#shared/contracts/field-rules.ts";

/** A text in one line of a commit or of a credential helper's answer. */
const line = { type: "string", min: 1, max: 4_096, pattern: "^[^\\0\\r\\n]*$" } as const;

export const publishOrderFields = schema({
	/** The folder of the repository below the workspace, as the launch names it; empty: the workspace itself. */
	path: { ...text, max: 1_024 },
	/** Its URL as the platform knows it; a launch with another one is refused, because the credential is for this one. */
	url: { ...text, min: 1, max: 2_048 },
	/** The branch at the remote. */
	branch: { ...text, min: 1, max: 200 },
	/** The message of the commit, if there is something to commit. */
	message: { ...text, min: 1, max: 20_000 },
	/** The author of the commit, unless the person's own git configuration names one. */
	author: {
		type: "object",
		props: { name: { ...line, pattern: "^[^\\0\\r\\n<>]*$" }, email: { ...line, pattern: "^[^\\0\\r\\n<>]*$" } },
		optional: true,
	},
	/** The user and password for the host of the repository, for this push; the session's own ones have precedence. */
	credential: { type: "object", props: { username: line, password: line }, optional: true },
});
export type PublishOrder = Output<typeof publishOrderFields>;
