/**
 * A coding agent with a separate model for titles, as some have, which it calls before it answers. It runs the command
 * behind `$ ` in a message in its own environment.
 */
import { spawnSync } from "node:child_process";
import { type JsonObject, objectsOf } from "#shared/base/schema/parsed-json.ts";
import { JsonRpc } from "#agent/io/json-rpc.ts";

const sessionId = "titling";
const titleModel = "gpt-5.6-luna";

async function asked(model: string, content: string): Promise<string> {
	const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = process.env;
	const body = JSON.stringify({ model, messages: [{ role: "user", content }] });
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	const answer = await fetch(`${url}/chat/completions`, { method: "POST", headers, body });
	return `${answer.status} ${await answer.text()}`;
}

async function answerTo(text: string): Promise<string> {
	if (text.startsWith("$ ")) return spawnSync("sh", ["-c", `${text.slice(2)}\nexit`], { encoding: "utf8" }).stdout;
	const title = await asked(titleModel, "Give this a title");
	const answer = await asked(process.env["OPENAI_MODEL"] ?? "", text);
	return `${title}\n${answer}`;
}

async function prompt({ prompt: blocks }: JsonObject): Promise<object> {
	const text = await answerTo(String(objectsOf(blocks).at(-1)?.["text"]));
	const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
	rpc.notify("session/update", { sessionId, update });
	return { stopReason: "end_turn" };
}

const rpc = new JsonRpc(process.stdin, process.stdout, {
	requests: {
		initialize: () => ({ protocolVersion: 1, agentInfo: { title: "Titling" }, agentCapabilities: {} }),
		"session/new": () => ({ sessionId }),
		"session/prompt": prompt,
	},
	notifications: {},
});

await rpc.closed;
process.exit(0);
