/** The question with which a pod of a cluster asks for its launch: a body as JSON, which may be empty. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { parseJsonObject } from "#shared/base/schema/parsed-json.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { sessionIdRule } from "#shared/contracts/sessions/session-work.ts";

/** The most sessions that a question names. */
export const maxEarlierSessions = 200;
/** The most bytes of a question. */
export const maxQuestionBytes = 16_384;

const fields = schema({
	/** The ids of the sessions that have records in the pod's volume, its own among them. */
	sessions: { type: "array", max: maxEarlierSessions, items: sessionIdRule },
});
type LaunchQuestion = Output<typeof fields>;

const check = compileSchema(fields);

/** Returns the ids that a question names; none for a body of another form. */
export function sessionsIn(body: string): readonly string[] {
	const asked = parseJsonObject(body);
	return asked && isQuestion(asked) ? asked.sessions : [];
}

function isQuestion(value: object): value is LaunchQuestion {
	return check(value).length === 0;
}
