/** The picture of the whole system: who talks to whom, and every service. */
import { type Arrow, type Box, drawing } from "./svg.ts";
import { themes } from "./theme.ts";

/** The services of the grid, in rows of three. The pod manager is at the right, beside the pod. */
const grid = [
	["sessions", "records, history, costs"],
	["blueprints", "templates, profiles, prompts"],
	["credentials", "secrets of people and teams"],
	["identity", "users, tenants, roles"],
	["integrations", "connections of people"],
	["models", "models and prices"],
	["git", "pull requests, confidence"],
	["tracker", "issues"],
	["pod-manager", "starts and ends pods"],
	["pat", "access tokens"],
	["settings", "flags, user interfaces"],
	["audit", "who did what"],
] as const;

const [columnWidth, columnGap, firstRow, rowHeight] = [168, 12, 286, 50];

const boxes: readonly Box[] = [
	{ x: 36, y: 16, width: 250, height: 54, title: "People and programs", detail: "curl, the API page, your own client" },
	{
		x: 316,
		y: 16,
		width: 250,
		height: 54,
		title: "Git hosts and trackers",
		detail: "GitHub, GitLab, Gitea, Jira, Linear",
	},
	{ x: 700, y: 16, width: 240, height: 54, title: "Model providers", detail: "Anthropic, OpenAI, Google, Ollama, …" },
	{ x: 20, y: 120, width: 564, height: 452, title: "Platform", detail: "one process, or several", isFrame: true },
	{ x: 36, y: 156, width: 258, height: 54, title: "gateway", detail: "routes, identity, limits, API page" },
	{ x: 306, y: 156, width: 258, height: 54, title: "stream", detail: "live events, chat" },
	{ x: 36, y: 236, width: 528, height: 28, title: "bus: in memory, or NATS" },
	...grid.map(([title, detail], index) => ({
		x: 36 + (index % 3) * (columnWidth + columnGap),
		y: firstRow + Math.floor(index / 3) * rowHeight,
		width: columnWidth,
		height: 42,
		title,
		detail,
	})),
	{ x: 36, y: 508, width: columnWidth, height: 48, title: "event-log", detail: "all events, in one order" },
	{ x: 256, y: 508, width: 308, height: 48, title: "store", detail: "embedded SQLite, or MongoDB" },
	{ x: 700, y: 120, width: 240, height: 452, title: "Session pod", detail: "one per session", isFrame: true },
	{ x: 716, y: 156, width: 208, height: 54, title: "model proxy", detail: "adds the key, counts the cost" },
	{ x: 716, y: 264, width: 208, height: 54, title: "coding agent", detail: "built-in, Claude, Codex, …" },
	{ x: 716, y: 380, width: 208, height: 54, title: "session agent", detail: "queue, conversation, reports" },
	{ x: 716, y: 502, width: 208, height: 54, title: "workspace", detail: "clones of your repositories" },
];

const arrows: readonly Arrow[] = [
	{ path: "M161 72V153", isTwoWay: true, label: { x: 206, y: 104, lines: ["HTTP, events"] } },
	{ path: "M441 72V118", isTwoWay: true, label: { x: 510, y: 100, lines: ["requests, webhooks"] } },
	{ path: "M820 153V73", label: { x: 866, y: 100, lines: ["model calls"] } },
	{ path: "M165 211V234", isTwoWay: true },
	{ path: "M435 211V234", isTwoWay: true },
	{ path: "M300 265V284", isTwoWay: true },
	{ path: "M206 532H253", isTwoWay: true },
	{ path: "M820 262V213" },
	{ path: "M820 378V321", isTwoWay: true, label: { x: 838, y: 354, lines: ["ACP"] } },
	{ path: "M820 436V499", isTwoWay: true, label: { x: 836, y: 472, lines: ["git"] } },
	{ path: "M566 407H713", label: { x: 642, y: 424, lines: ["starts, ends"] } },
	{ path: "M566 183H642V394H713", isTwoWay: true, label: { x: 642, y: 146, lines: ["messages, chat;", "reports"] } },
];

/** Returns the picture. @param mode For light or for dark pages. */
export function systemPicture(mode: keyof typeof themes): string {
	const description =
		"People and programs talk to the gateway and the stream of the platform. Behind them a bus connects the services, which use one store. " +
		"The pod manager starts a session pod for each session; in it a session agent runs a coding agent, which works on clones of repositories and calls models through a proxy.";
	return drawing({ width: 960, height: 590, description }, boxes, arrows, themes[mode]);
}
