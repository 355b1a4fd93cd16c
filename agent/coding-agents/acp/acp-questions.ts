/**
 * Questions to a person for which the agent offers one button only, because its own screen has a form. Here a person
 * answers them one after the other, as choices. Qwen Code reads the answers beside the outcome, by the place of their
 * question.
 */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf, textOf } from "#shared/base/schema/parsed-json.ts";
import type { Permissions, WantedPermission } from "../permissions.ts";

export interface PersonsAnswer {
	/** The agent's own option; undefined when none was chosen. */
	readonly optionId: string | undefined;
	/** The answers of a form, by the place of their question. */
	readonly answers?: Readonly<Record<string, string>>;
}

interface Question {
	readonly wanted: WantedPermission;
	readonly labels: readonly string[];
}

/** The bounds on the questions of a form, on the answers of one, and on the characters of a text. */
const maxQuestions = 8;
const maxLabels = 16;
const maxTitle = 200;
const maxName = 100;

/** Asks for a permission, or for each answer of a form. A question that is declined ends the form. @param call Everything that is known of the tool call. */
export async function askPerson(
	permissions: Pick<Permissions, "ask">,
	wanted: WantedPermission,
	call: JsonObject,
): Promise<PersonsAnswer> {
	const [send, ...others] = wanted.options.filter(({ kind }) => kind === "allow_once");
	const questions = send && others.length === 0 ? formQuestions(wanted, call["rawInput"]) : [];
	if (!send || questions.length === 0) return { optionId: await permissions.ask(wanted) };
	const answers: Record<string, string> = {};
	for (const [index, { wanted: question, labels }] of questions.entries()) {
		const optionId = await permissions.ask(question);
		const label = labels.find((_, place) => answerId(place) === optionId);
		if (label === undefined) return { optionId };
		answers[index] = label;
	}
	return { optionId: send.option_id, answers };
}

/** Returns the questions of a form; none when one of them has no answers to choose from, because such a form cannot be filled in here. */
function formQuestions(wanted: WantedPermission, input: unknown): Question[] {
	const listed = objectsOf(isJsonObject(input) ? input["questions"] : undefined).slice(0, maxQuestions);
	const questions = listed.flatMap((one) => readQuestion(wanted, one));
	return questions.length === listed.length ? questions : [];
}

function readQuestion(wanted: WantedPermission, { question, options }: JsonObject): Question[] {
	const title = textOf(question);
	const labels = objectsOf(options)
		.flatMap(({ label }) => textOf(label) ?? [])
		.slice(0, maxLabels);
	if (title === undefined || labels.length === 0) return [];
	const answers = labels.map((label, place) => ({
		option_id: answerId(place),
		name: label.slice(0, maxName),
		kind: "allow_once",
	}));
	const declined = wanted.options.filter(({ kind }) => kind.startsWith("reject"));
	return [
		{
			wanted: { ...wanted, title: title.slice(0, maxTitle), options: [...answers, ...declined], choice: true },
			labels,
		},
	];
}

function answerId(place: number): string {
	return `answer-${place + 1}`;
}
