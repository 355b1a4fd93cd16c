import { expect } from "chai";
import { sessionStatuses } from "#shared/contracts/sessions/session-resource.ts";
import { type Config, loadConfig } from "#shared/config/config.ts";
import { ChatAddresses, chatPath } from "#services/sessions/record/chat-endpoint.ts";

const id = "6f1b2c3d-0000-4000-8000-000000000001";
const { gateway } = loadConfig({});

/** Returns the address that a session with a chat shows. */
function shownAt(at: Config["gateway"], chat_endpoint = chatPath({ id, status: "running" })): string | null {
	return JSON.parse(new ChatAddresses(at).shown({ id, status: "running", wire: JSON.stringify({ id, chat_endpoint }) }))
		.chat_endpoint;
}

describe("the address of a chat", () => {
	it("exists while a pod exists or starts, and at no other time", () => {
		const there = sessionStatuses.filter((status) => chatPath({ id, status }) !== null);
		expect(there).to.deep.equal(["provisioning", "running"]);
		expect(shownAt(gateway)).to.equal(`ws://127.0.0.1:8080/s/${id}/session`);
		expect(shownAt(gateway, null)).to.equal(null);
	});

	it("is the public address of the gateway, with TLS if that has it", () => {
		const published = { ...gateway, public_url: "https://atelier.example.org" };
		expect(shownAt(published)).to.equal(`wss://atelier.example.org/s/${id}/session`);
		expect(shownAt({ ...gateway, host: "::1" })).to.match(/^ws:\/\/\[::1\]:8080\//);
	});

	it("is absent while the gateway's port is unknown", () => {
		expect(shownAt({ ...gateway, port: 0 })).to.equal(null);
	});

	it("changes nothing else in the text, whatever people write", () => {
		const name = `"chat_endpoint":"/s/${id}/session" $& \\`;
		const wire = JSON.stringify({ id, name, chat_endpoint: chatPath({ id, status: "running" }) });
		const shown = JSON.parse(new ChatAddresses(gateway).shown({ id, status: "running", wire }));
		expect(shown).to.deep.equal({ id, name, chat_endpoint: `ws://127.0.0.1:8080/s/${id}/session` });
	});
});
