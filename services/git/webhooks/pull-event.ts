/** Reads what a webhook says about a pull request. Pure. */
import type { Delivery, PullEvent, Webhooks } from "../providers/webhooks.ts";

/** Returns the event; undefined for a message about something else, or one that cannot be understood. */
export function pullEvent(webhooks: Webhooks, { headers, body }: Delivery): PullEvent | undefined {
	if (!webhooks.pullEvents.includes(headers[webhooks.eventHeader] ?? "")) return undefined;
	const event = webhooks.readPull(parsed(body));
	return event && !Number.isNaN(Date.parse(event.at)) ? { ...event, at: new Date(event.at).toISOString() } : undefined;
}

function parsed(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		return undefined;
	}
}
