import { type Html, html } from '../html.ts'

export const renderIcons = (): Html => ICON

const ICON = html`<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='2' width='12' height='16' rx='2' fill='%231d6552'/%3E%3Cg fill='none' stroke='%23f7f3ea'%3E%3Ccircle cx='8' cy='6.5' r='3'/%3E%3Cpath d='M5 12.5h6'/%3E%3C/g%3E%3C/svg%3E">`
