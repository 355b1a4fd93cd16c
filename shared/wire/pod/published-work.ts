/** The command by which a pod publishes the work of a session. */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { publishedPart } from "#shared/contracts/sessions/session-control.ts";

/** A text in one line of a commit or of a credential helper's answer. */
const line = { type: "string", min: 1, max: 4_096, pattern: "^[^\\0\\r\\n]*$" } as const;

export const publishOrderFields = schema({
	/** A launch with another URL is refused, because the credential is for this one. */
	...publishedPart,
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
